/** Builds a body of at most so many bytes. */
export type Build = (bytes: number) => Buffer

const text =
  (unit: string): Build =>
  (bytes) => {
    const buffer = Buffer.alloc(bytes, '"')
    buffer.fill(unit, 1, bytes - 1)
    // A unit that was cut would escape the quote.
    const rest = (bytes - 2) % Buffer.byteLength(unit)
    buffer.fill(' ', bytes - 1 - rest)
    buffer[bytes - 1 - rest] = 0x22
    return buffer
  }
/** `open`, as many units as fit, `close`. */
export const repeat =
  (open: string, unit: string, close: string): Build =>
  (bytes) => {
    const count = Math.floor((bytes - open.length - close.length - 2) / unit.length)
    return Buffer.from(`${open}${unit.repeat(count)}${close}`)
  }
/** `open`, up to 120,000 generated units, `close`. */
export const generate =
  (open: string, unit: (index: number) => string, close: string): Build =>
  (bytes) => {
    const parts = [open]
    let size = open.length + close.length + 8
    for (let index = 0; index < 120_000; index += 1) {
      const part = `${index === 0 ? '' : ','}${unit(index)}`
      size += part.length
      if (size > bytes) break
      parts.push(part)
    }
    return Buffer.from(`${parts.join('')}${close}`)
  }

/** JSON texts, valid or not, that are expensive to scan, parse, validate or walk. */
export const JSON_SHAPES: Readonly<Record<string, Build>> = {
  'empty objects': repeat('[', '{},', '1]'),
  'short keys': generate('{', (index) => `"${index.toString(36)}":1`, '}'),
  'as many short keys as are allowed': generate(
    '{',
    (index) => (index < 49_990 ? `"${index.toString(36)}":1` : ' '),
    '}',
  ),
  'as many long keys as are allowed': generate(
    '{',
    (index) => `"${index.toString(36).padEnd(30, 'x')}":1`,
    '}',
  ),
  'objects of different shapes': generate(
    '[',
    (index) => (index < 33_000 ? `{"${index.toString(36)}":1}` : ' '),
    '1]',
  ),
  'equal keys': repeat('{', '"a":1,', '"a":1}'),
  'prototype keys': generate('{', (index) => `"constructor":{"a${index}":1}`, '}'),
  'colliding keys': generate('{', (index) => `"${1e9 + 131_072 * index}":1`, '}'),
  'short texts': generate('[', (index) => `"${index.toString(36)}"`, ']'),
  'equal texts': repeat('[', '"a",', '"a"]'),
  nesting: repeat('', '[', ''),
  'closed nesting': (bytes) => Buffer.from('['.repeat(bytes / 2 - 1) + ']'.repeat(bytes / 2 - 1)),
  'allowed nesting': repeat('[', `${'['.repeat(20)}${']'.repeat(20)},`, '1]'),
  'infinite numbers': repeat('[', '1e999,', '1]'),
  'long numbers': repeat('[', `9007199254740993.${'0'.repeat(750)}1,`, '1]'),
  'one long number': repeat('', '7', ''),
  'small numbers': generate(
    '[',
    (index) => `2.22507385850720${index % 90}e-${300 + (index % 20)}`,
    ']',
  ),
  whitespace: repeat('', ' ', ''),
  'whitespace between values': repeat('[', '1 , ', '1]'),
  'one text': text('A'),
  'escaped letters': text('\\u0041'),
  'escaped quotes': text('\\"'),
  'escaped backslashes': text('\\\\'),
  'lone surrogates': text('\\ud800'),
  'surrogates in texts': repeat('[', '"\\ud83d\\ude00",', '1]'),
  'multi-byte text': text('é€'),
  emoji: text('😀'),
  'spaces in a text': text(' '),
  'bytes that are not UTF-8': (bytes) => Buffer.alloc(bytes, 0xff),
}

const form =
  (unit: (index: number) => string): Build =>
  (bytes) => {
    const parts: string[] = []
    for (let size = 0, index = 0; ; index += 1) {
      const part = `${unit(index)}&`
      size += part.length
      if (size > bytes) return Buffer.from(parts.join(''))
      parts.push(part)
    }
  }

/** Forms (and queries) that are expensive to parse or to walk. */
export const FORM_SHAPES: Readonly<Record<string, Build>> = {
  'as many fields as fit': form((index) => index.toString(36)),
  'as many equal fields as fit': form(() => 'a'),
  'equal fields with values': form(() => 'redirectURL=https://a.example'),
  'no fields': form(() => ''),
  'colliding fields': form((index) => `${1e9 + 131_072 * index}=`),
  'escaped fields': form(() => '%41'),
  'invalid escapes': form(() => '%ff%'),
  'emoji in fields': form((index) => `%F0%9F%98%80${index}=%F0%9F%98%80`),
  spaces: (bytes) => Buffer.alloc(bytes, '+'),
  'one long name': (bytes) => Buffer.alloc(bytes, 'a'),
  'one long value': (bytes) => Buffer.concat([Buffer.from('a='), Buffer.alloc(bytes - 2, '%41')]),
  'many equals signs': (bytes) => Buffer.alloc(bytes, '='),
}

/** The CPU time of this thread for a call, in milliseconds. */
export async function measureCpuMs(call: () => unknown): Promise<number> {
  const start = process.threadCpuUsage()
  await call()
  const { user, system } = process.threadCpuUsage(start)
  return (user + system) / 1_000
}
