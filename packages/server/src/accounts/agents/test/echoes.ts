import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'

/** A way in which a provider may write a credential. */
type Form = readonly [name: string, write: (secret: string) => string]

const hex = (text: string, upper = false) => {
  const digits = Buffer.from(text).toString('hex')
  return upper ? digits.toUpperCase() : digits
}
const escapeAll = (text: string, write: (code: number) => string) =>
  [...text].map((character) => write(character.charCodeAt(0))).join('')
const pairs = (code: number) => code.toString(16).padStart(2, '0')
const base64 = (text: string) => Buffer.from(text).toString('base64')
const json = (text: string) => JSON.stringify(text).slice(1, -1)

/** Every encoding that documents promise to remove, alone and inside another. */
export const FORMS: readonly Form[] = [
  ['plain', (secret) => secret],
  ['in JSON', json],
  ['in JSON in JSON', (secret) => json(json(secret))],
  ['in JSON, with escaped slashes', (secret) => json(secret).replaceAll('/', '\\/')],
  ['in escapes of JSON', (secret) => escapeAll(secret, (code) => `\\u00${pairs(code)}`)],
  ['in escapes of JavaScript', (secret) => escapeAll(secret, (code) => `\\x${pairs(code)}`)],
  ['in a URL', encodeURIComponent],
  ['in a URL in a URL', (secret) => encodeURIComponent(encodeURIComponent(secret))],
  ['in a form', (secret) => new URLSearchParams({ '': secret }).toString().slice(1)],
  ['in percent signs', (secret) => escapeAll(secret, (code) => `%${pairs(code)}`)],
  ['hexadecimal', (secret) => hex(secret)],
  ['hexadecimal, in capitals', (secret) => hex(secret, true)],
  ...[0, 1, 2].flatMap((offset): Form[] => [
    [`base64, from byte ${offset}`, (secret) => base64(`${':'.repeat(offset)}${secret}:`)],
    [
      `base64url, from byte ${offset}`,
      (secret) => Buffer.from(`${':'.repeat(offset)}${secret}`).toString('base64url'),
    ],
  ]),
  ['in lines of base64', (secret) => base64(`key: ${secret};`).replace(/(.{16})/g, '$1\r\n')],
  ['in base64 in JSON', (secret) => json(base64(`{"k":"${secret}"}`).replace(/(.{20})/g, '$1\n'))],
  ['as Basic credentials', (secret) => `Basic ${base64(`user:${secret}`)}`],
  ['in HTML, decimal', (secret) => escapeAll(secret, (code) => `&#${code};`)],
  ['in HTML, hexadecimal', (secret) => escapeAll(secret, (code) => `&#x${pairs(code)};`)],
  ['in HTML, padded', (secret) => escapeAll(secret, (code) => `&#0000${code};`)],
  ['in HTML in JSON', (secret) => escapeAll(secret, (code) => `\\u0026#${code};`)],
  ['in a URL in HTML', (secret) => escapeAll(secret, (code) => `&#37;${pairs(code)}`)],
  ['quoted-printable', (secret) => escapeAll(secret, (code) => `=${pairs(code).toUpperCase()}`)],
  ['in soft line breaks', (secret) => secret.replace(/(.{10})/g, '$1=\r\n')],
]

/** Where in a text of so many characters the credential begins: also where the shown part ends. */
export const PLACES: readonly [name: string, at: (length: number, size: number) => number][] = [
  ['at the start', () => 0],
  ['in the middle', (length) => Math.floor(length / 3)],
  ['at the end', (length, size) => length - size],
  ['across the end of what is shown', (length, size) => length - Math.floor(size / 2)],
]

const COMPRESSIONS: readonly [name: string, compress: (bytes: Uint8Array) => Uint8Array][] = [
  ['', (bytes) => bytes],
  ['gzip', (bytes) => gzipSync(bytes)],
  ['deflate', (bytes) => deflateSync(bytes)],
  ['br', (bytes) => brotliCompressSync(bytes, { params: { 1: 1 } })],
  ['zstd', (bytes) => zstdCompressSync(bytes)],
]

const CHARSETS = [
  { charset: 'utf-8', width: 1, encoding: 'utf8' },
  { charset: 'utf-16le', width: 2, encoding: 'utf16le' },
] as const

/** Texts as APIs respond with them, from harmless to full of what the search has to look at. */
const FILLERS: readonly [type: string, text: string][] = [
  [
    'application/json',
    '{"id":"0f6a","name":"Ada Lovelace","note":"She wrote \\"Notes\\".\\nTwice \\u00e9","n":1815},',
  ],
  [
    'text/html',
    '<p class="a">Tea &amp; cake, &#8364;3 &lt;each&gt; <a href="/a%20b?c=d">e</a></p>\n',
  ],
  ['text/plain', 'aGVsbG8gd29ybGQgaGVsbG8gd29ybGQgaGVsbG8gd29ybGQgaGVsbG8gd29ybGQgaGVsbG8g\r\n'],
  ['text/csv', 'Ada;Lovelace;London;1815;"A note, with commas";+44 20 7946 0000\n'],
]

/** A response that echoes a credential. */
export interface Echo {
  readonly name: string
  /** What must not be seen. */
  readonly written: string
  readonly rawHeaders: readonly string[]
  readonly body: Uint8Array
  /** What an agent would get without a search. */
  readonly shown: string
}

/** The response with a number, of which `maxBytes` are shown: forms, places, compressions, charsets and texts take turns independently. */
export function createEcho(index: number, secrets: readonly string[], maxBytes: number): Echo {
  const turn = <T>(items: readonly T[], before: number) =>
    items[Math.floor(index / before) % items.length] as T
  const form = turn(FORMS, 1)
  const place = turn(PLACES, FORMS.length)
  const [type, filler] = turn(FILLERS, 3)
  const [encoding, compress] = turn(COMPRESSIONS, 7)
  const { charset, width, encoding: units } = turn(CHARSETS, 11)
  const length = maxBytes / width
  const written = form[1](turn(secrets, 5))
  const at = place[1](length, written.length)
  const rest = filler.repeat(Math.ceil((2 * length) / filler.length))
  // The sign ends an escape of the text before; what follows may continue one of the credential.
  const text = `${rest.slice(0, Math.max(0, at - 1))}=${written}${rest.slice(at, length + 1_000)}`
  return {
    name: [form[0], place[0], type, encoding, charset].join(', '),
    written,
    rawHeaders: [
      'content-type',
      `${type}; charset=${charset}`,
      ...(encoding === '' ? [] : ['content-encoding', encoding]),
      // What a header can carry.
      ...(/^[!-~]{1,3000}$/.test(written)
        ? ['link', `<https://x.example/?next=${written}>; rel="next"`, 'x-request-id', written]
        : []),
    ],
    body: compress(Buffer.from(text, units)),
    shown: text.slice(0, length),
  }
}
