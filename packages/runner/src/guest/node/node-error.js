/** An error of Node's own: with a code, which also stands in its text. */
export function nodeError(Type, code, message) {
  const error = Object.assign(new Type(message), { code })
  function value() {
    return `${error.name} [${code}]: ${error.message}`
  }
  return Object.defineProperty(error, 'toString', {
    value,
    configurable: true,
    writable: true,
  })
}
