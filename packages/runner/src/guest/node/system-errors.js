/** The errors that network clients look up by number, as Linux numbers them. */
export const systemErrors = new Map([
  [-2, ['ENOENT', 'no such file or directory']],
  [-13, ['EACCES', 'permission denied']],
  [-32, ['EPIPE', 'broken pipe']],
  [-98, ['EADDRINUSE', 'address already in use']],
  [-101, ['ENETUNREACH', 'network is unreachable']],
  [-103, ['ECONNABORTED', 'software caused connection abort']],
  [-104, ['ECONNRESET', 'connection reset by peer']],
  [-110, ['ETIMEDOUT', 'connection timed out']],
  [-111, ['ECONNREFUSED', 'connection refused']],
  [-113, ['EHOSTUNREACH', 'host is unreachable']],
  [-3008, ['ENOTFOUND', 'name does not resolve']],
])
