/** Whether a host of a URL, in the form that URL.hostname has, is a name or an address of this machine's loopback. */
export function isLoopbackHost(hostname: string): boolean {
  return /^(?:localhost|.*\.localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname)
}
