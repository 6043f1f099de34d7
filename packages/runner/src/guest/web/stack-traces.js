/** Makes `stack` begin with name and message, as in Node; the engine's own has only the calls. */
export function formatStacksAsNode() {
  Error.prepareStackTrace = prepareStackTrace
}

function prepareStackTrace(error, sites) {
  let stack = header(error)
  for (const site of sites) stack += `\n    at ${place(site)}`
  return stack
}

const LONGEST_MESSAGE = 10_000

function header(error) {
  try {
    const { name, message } = error
    // A text of megabytes is not worth a copy of it in every stack.
    if (message?.length > LONGEST_MESSAGE) return `${name}: ${message.slice(0, LONGEST_MESSAGE)}`
    return Error.prototype.toString.call(error)
  } catch {
    return 'Error'
  }
}

function place(site) {
  const name = site.getFunctionName()
  const where = site.isNative()
    ? 'native'
    : `${site.getFileName()}:${site.getLineNumber()}:${site.getColumnNumber()}`
  return name ? `${name} (${where})` : where
}
