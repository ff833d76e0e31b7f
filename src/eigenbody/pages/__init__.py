"""What is served on this machine: the studio, where a slider moves the poles, and the commands as a service."""
