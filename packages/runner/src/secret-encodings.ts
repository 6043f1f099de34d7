/** One encoding of a text in a message. The encoding of a prefix is a prefix of the encoding. */
export type Encode = (text: string) => string

/**
 * The forms in which a secret may occur in a message: plain, in JSON, in URLs and forms, in hexadecimal and in base64.
 * Forms that are obviously equal for this secret are omitted.
 */
export function getEncoders(secret: string): readonly Encode[] {
  if (/^[A-Za-z0-9_.-]*$/.test(secret)) return FOR_PLAIN
  return /^[\0-\xff]*$/.test(secret) && /[\x80-\xff]/.test(secret) ? FOR_LATIN_1 : FOR_ANY
}

const ESCAPED_BYTE = /%[0-9A-F]{2}/g

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
}

function escapeByte(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`
}

function encodeJson(text: string): string {
  return JSON.stringify(text.toWellFormed()).slice(1, -1)
}

function encodeUrlComponent(text: string): string {
  return encodeURIComponent(text.toWellFormed())
}

function encodeHex(text: string): string {
  return Buffer.from(text.toWellFormed()).toString('hex')
}

const JSON_ENCODERS: readonly Encode[] = [
  encodeJson,
  (text) => encodeJson(text).replaceAll('/', '\\/'),
  (text) => encodeJson(text).replace(/[\u0080-\uffff]/g, escapeUnit),
  (text) => JSON.stringify(encodeJson(text)).slice(1, -1),
]

const UPPER_CASE_URL_ENCODERS: readonly Encode[] = [
  encodeUrlComponent,
  (text) => encodeUrlComponent(text).replace(/[!'()*]/g, escapeByte),
  (text) => new URLSearchParams([['', text.toWellFormed()]]).toString().slice(1),
  (text) => encodeURI(text.toWellFormed()),
  (text) => encodeURIComponent(encodeUrlComponent(text)),
]

const URL_ENCODERS: readonly Encode[] = UPPER_CASE_URL_ENCODERS.flatMap((encode) => [
  encode,
  (text: string) => encode(text).replace(ESCAPED_BYTE, (escaped) => escaped.toLowerCase()),
])

// Inside a longer base64 text a secret starts at one of three offsets. The characters at its ends are shared with its
// neighbours, so they are omitted.
function createBase64Encoders(charset: 'utf8' | 'latin1'): Encode[] {
  return [0, 1, 2].flatMap((offset) => {
    const encode = (text: string): string => {
      const bytes = Buffer.from('\0'.repeat(offset) + text.toWellFormed(), charset)
      const start = Math.ceil((offset * 8) / 6)
      return bytes.toString('base64').slice(start, Math.floor((bytes.length * 8) / 6))
    }
    return [encode, (text: string) => encode(text).replaceAll('+', '-').replaceAll('/', '_')]
  })
}

const FOR_PLAIN: readonly Encode[] = [
  (text) => text,
  encodeHex,
  (text) => encodeHex(text).toUpperCase(),
  ...createBase64Encoders('utf8'),
]
const FOR_ANY: readonly Encode[] = [...FOR_PLAIN, ...JSON_ENCODERS, ...URL_ENCODERS]
const FOR_LATIN_1: readonly Encode[] = [...FOR_ANY, ...createBase64Encoders('latin1')]
