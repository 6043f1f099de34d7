/** Puts the printed entries of one value on one line or many, as Node's reduceToSingleString does. */
export function arrange(context, shape, entries, level, list) {
  const { base, open, close, prefix } = shape
  const plain = /^<ref/.test(base) ? '' : base
  if (entries.length === 0) {
    if (plain) return base
    return `${base ? `${base} ` : ''}${prefix ? `${prefix} ` : ''}${open}${close}`
  }
  const brace = prefix ? `${prefix} ${open}` : open
  const front = base ? `${base} ${brace}` : brace
  const lines = list && entries.length > 6 ? group(context, entries, list) : entries
  const near = context.currentDepth - level < context.compact
  if (near && lines === entries && fits(context, entries, brace.length + base.length, base)) {
    const joined = entries.join(', ')
    if (!joined.includes('\n')) return `${front} ${joined} ${close}`
  }
  const indent = `\n${' '.repeat(context.indentation)}`
  return `${front}${indent}  ${lines.join(`,${indent}  `)}${indent}${close}`
}

function fits(context, entries, front, base) {
  const start = entries.length + context.indentation + front + 10
  const total = entries.reduce((sum, entry) => sum + entry.length, entries.length + start)
  return total <= context.breakLength && !base.includes('\n')
}

// Node's groupArrayElements: long lists of short items stand in columns.
function group(context, entries, list) {
  const shortened = context.maxArrayLength < entries.length
  const count = shortened ? entries.length - 1 : entries.length
  const lengths = entries.slice(0, count).map((entry) => entry.length)
  const total = lengths.reduce((sum, length) => sum + length + 2, 0)
  const longest = Math.max(...lengths)
  const width = longest + 2
  const wide = width * 3 + context.indentation >= context.breakLength
  if (wide || !(total / width > 5 || longest <= 6)) return entries
  const biased = Math.max(width - 3 - Math.sqrt(width - total / entries.length), 1)
  const columns = Math.min(
    Math.round(Math.sqrt(2.5 * biased * count) / biased),
    Math.floor((context.breakLength - context.indentation) / width),
    context.compact * 4,
    15,
  )
  if (columns <= 1) return entries
  const rows = rowsOf(entries.slice(0, count), columns, isNumeric(list))
  return shortened ? [...rows, entries[count]] : rows
}

function rowsOf(entries, columns, numeric) {
  const widths = Array.from({ length: columns }, (_, column) => {
    const lengths = entries
      .filter((_entry, at) => at % columns === column)
      .map(({ length }) => length)
    return Math.max(0, ...lengths)
  })
  const rows = []
  for (let at = 0; at < entries.length; at += columns) {
    const row = entries.slice(at, at + columns)
    const cells = row.map((entry, column) => {
      const last = column === row.length - 1
      const text = last ? entry : `${entry}, `
      const width = widths[column] + (last ? 0 : 2)
      if (numeric) return text.padStart(width)
      return last ? text : text.padEnd(width)
    })
    rows.push(cells.join(''))
  }
  return rows
}

function isNumeric(list) {
  return Array.prototype.every.call(
    list,
    (item) => typeof item === 'number' || typeof item === 'bigint',
  )
}
