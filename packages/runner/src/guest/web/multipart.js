import { fillRandom } from '../bindings/random.js'
import { Blob, blobBytes, concat, File } from './blob.js'
import { FormData } from './form-data.js'
import { decodeLatin1, decodeUtf8, encodeUtf8 } from './utf8.js'

/** A FormData as multipart/form-data (RFC 7578): its bytes and content type. */
export function encodeMultipart(form) {
  const digits = [...fillRandom(new Uint8Array(6))].map((byte) => `${byte % 100}`.padStart(2, '0'))
  const boundary = `----formdata-undici-0${digits.join('').slice(1)}`
  const chunks = []
  for (const [name, value] of form) {
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="${escapeName(normal(name))}"`
    if (value instanceof Blob) {
      const type = value.type || 'application/octet-stream'
      const file = `; filename="${escapeName(value.name)}"\r\nContent-Type: ${type}\r\n\r\n`
      chunks.push(encodeUtf8(`${head}${file}`), blobBytes(value), encodeUtf8('\r\n'))
    } else chunks.push(encodeUtf8(`${head}\r\n\r\n${normal(value)}\r\n`))
  }
  chunks.push(encodeUtf8(`--${boundary}--\r\n`))
  return { bytes: concat(chunks), type: `multipart/form-data; boundary=${boundary}` }
}

/** The FormData of a body in multipart/form-data or application/x-www-form-urlencoded; a TypeError for others. */
export function decodeForm(bytes, type) {
  const form = new FormData()
  if (/^application\/x-www-form-urlencoded/i.test(type)) {
    for (const [name, value] of new URLSearchParams(decodeUtf8(bytes))) form.append(name, value)
    return form
  }
  const boundary = /^multipart\/form-data.*;\s*boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(type)
  if (!boundary) throw new TypeError('Response.formData: Could not parse content as FormData.')
  for (const part of decodeLatin1(bytes)
    .split(`--${boundary[1] ?? boundary[2]}`)
    .slice(1, -1)) {
    const split = part.indexOf('\r\n\r\n')
    appendPart(form, fromLatin1(part.slice(2, split)), part.slice(split + 4, -2))
  }
  return form
}

function appendPart(form, head, body) {
  const name = unescapeName(/[; ]name="([^"]*)"/i.exec(head)?.[1] ?? '')
  const filename = /filename="([^"]*)"/i.exec(head)?.[1]
  if (filename === undefined) return form.append(name, fromLatin1(body))
  const type = /^content-type:\s*(.*)$/im.exec(head)?.[1]?.trim() ?? 'text/plain'
  const bytes = Uint8Array.from(body, (character) => character.charCodeAt(0))
  form.append(name, new File([bytes], unescapeName(filename), { type }))
}

function fromLatin1(text) {
  return decodeUtf8(Uint8Array.from(text, (character) => character.charCodeAt(0)))
}

function normal(text) {
  return text.replace(/\r?\n|\r/g, '\r\n')
}

function escapeName(name) {
  return name.replaceAll('\n', '%0A').replaceAll('\r', '%0D').replaceAll('"', '%22')
}

function unescapeName(name) {
  return name.replaceAll('%0A', '\n').replaceAll('%0D', '\r').replaceAll('%22', '"')
}
