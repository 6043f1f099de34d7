/** A value that is no object, as `inspect` prints it. */
export function primitive(context, value) {
  if (typeof value === 'string') {
    const cut = value.slice(0, context.maxStringLength ?? undefined)
    const rest = value.length - cut.length
    const more = rest > 0 ? `... ${rest} more character${rest > 1 ? 's' : ''}` : ''
    if (cut.length > 16 && cut.length > context.breakLength - context.indentation - 4) {
      const lines = cut.split(/(?<=\n)/)
      return lines.map(quote).join(` +\n${' '.repeat(context.indentation + 2)}`) + more
    }
    return quote(cut) + more
  }
  if (typeof value === 'bigint') return `${value}n`
  if (Object.is(value, -0)) return '-0'
  return String(value)
}

/** A string in the quotes that need the fewest escapes. */
export function quote(text) {
  const mark = !text.includes("'")
    ? "'"
    : !text.includes('"')
      ? '"'
      : !/`|\$\{/.test(text)
        ? '`'
        : "'"
  const short = {
    '\n': '\\n',
    '\t': '\\t',
    '\r': '\\r',
    '\b': '\\b',
    '\f': '\\f',
    '\v': '\\v',
    '\\': '\\\\',
  }
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it escapes
  const escaped = text.replace(/[\0-\x1f\\\x7f-\x9f]/g, (character) => {
    const code = character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')
    return short[character] ?? `\\x${code}`
  })
  return mark + (mark === "'" ? escaped.replaceAll("'", "\\'") : escaped) + mark
}

/** The class of an object, found as Node finds it; empty for an object without one. */
export function constructorName(value) {
  for (let at = value; at; at = Object.getPrototypeOf(at)) {
    const found = Object.getOwnPropertyDescriptor(at, 'constructor')?.value
    if (typeof found === 'function' && found.name !== '' && value instanceof found)
      return found.name
  }
  return ''
}

/** What an object without a class is called. */
export function baseName(value) {
  if (Array.isArray(value)) return `Array(${value.length})`
  if (value instanceof Error) return 'Error'
  return typeof value === 'function' ? 'Function' : 'Object'
}

/** `[Function: name]` or `[class A extends B]`. */
export function functionBase(value, name) {
  const source = Function.prototype.toString.call(value)
  if (/^class\b/.test(source)) {
    const parent = Object.getPrototypeOf(value)
    const from = parent?.name ? ` extends ${parent.name}` : ''
    return `[class ${value.name || '(anonymous)'}${from}]`
  }
  return `[${name || 'Function'}${value.name ? `: ${value.name}` : ' (anonymous)'}]`
}

/** The stack of an error under its name and message, which this engine leaves out. */
export function errorBase(error, context) {
  const name = error.name ?? 'Error'
  const head = error.message ? `${name}: ${error.message}` : `${name}`
  const stack = typeof error.stack === 'string' ? error.stack.replace(/\n$/, '') : ''
  if (!stack) return `[${head}]`
  const full = stack.startsWith(head) ? stack : `${head}\n${stack}`
  return full.replaceAll('\n', `\n${' '.repeat(context.indentation)}`)
}
