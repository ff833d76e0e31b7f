// What our modules find in the page beside the browser's own: the libraries, and the viewer of the report.

declare var EB: any;
declare var THREE: any;
declare var Plotly: any;
declare var define: any;

interface Window {
  THREE: any;
  Plotly: any;
  define: any;
  eigenbody: any;
  studio: any;
}

// What is found by a selector or an id is of the kind that the page has there.
interface ParentNode {
  querySelector(selectors: string): any;
  querySelectorAll(selectors: string): NodeListOf<any>;
}
interface Document {
  getElementById(id: string): any;
}
interface Element {
  setAttribute(name: string, value: string | boolean): void;
}
