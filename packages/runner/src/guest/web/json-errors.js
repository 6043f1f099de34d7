const around = 10

/** What V8 says about JSON text whose first mistake is a character that cannot stand where it stands. */
export function describePosition(text) {
  if (text === 'undefined' || text === '[object Object]') return `"${text}" is not valid JSON`
  const at = firstMistake(text)
  if (at >= text.length) return 'Unexpected end of JSON input'
  const character = String.fromCodePoint(text.codePointAt(at))
  return `Unexpected token '${character}', ${excerpt(text, at)} is not valid JSON`
}

function excerpt(text, at) {
  if (text.length <= 4 * around) return `"${text}"`
  const start = Math.max(0, at - around)
  const end = Math.min(text.length, at + around)
  return `${start > 0 ? '...' : ''}"${text.slice(start, end)}"${end < text.length ? '...' : ''}`
}

// The longest beginning that some JSON text has; strings and numbers as wholes.
function firstMistake(text) {
  const open = []
  let at = 0
  let expects = 'value'
  for (;;) {
    while (' \t\n\r'.includes(text[at] || 'x')) at++
    const character = text[at]
    if (character === undefined) return at
    if (expects === 'value' && (character === '{' || character === '[')) {
      open.push(character)
      expects = character === '{' ? 'firstKey' : 'firstItem'
      at++
    } else if (
      /^(value|firstItem)$/.test(expects) &&
      !(expects === 'firstItem' && character === ']')
    ) {
      if (expects === 'firstItem' && /[[{]/.test(character)) {
        expects = 'value'
        continue
      }
      const end = scalarEnd(text, at)
      if (end.wrong) return end.at
      at = end.at
      expects = 'end'
    } else if (/[Kk]ey$/.test(expects) && character === '"') {
      at = scalarEnd(text, at).at
      expects = 'colon'
    } else if (expects === 'colon' && character === ':') {
      at++
      expects = 'value'
    } else if (character === ',' && expects === 'end' && open.length > 0) {
      at++
      expects = open.at(-1) === '{' ? 'key' : 'value'
    } else if (closes(character, expects, open.at(-1))) {
      open.pop()
      at++
      expects = 'end'
    } else return at
  }
}

function closes(character, expects, open) {
  if (character === '}') return open === '{' && /^(end|firstKey)$/.test(expects)
  return character === ']' && open === '[' && /^(end|firstItem)$/.test(expects)
}

function scalarEnd(text, at) {
  const rest = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/sy
  rest.lastIndex = at
  const found = rest.exec(text)
  if (found) return { at: at + found[0].length }
  if (text[at] === '"') return { at: text.length, wrong: true }
  for (const word of ['true', 'false', 'null']) {
    let same = 0
    while (same < word.length && text[at + same] === word[same]) same++
    if (same === word.length) return { at: at + same }
    if (same > 0) return { at: at + same, wrong: true }
  }
  return { at, wrong: true }
}
