/** A secret as it may look in a message: as it is, in JSON, in URLs and forms, in hexadecimal and in base64. */
export function encodingsOf(secret: string): string[] {
  const text = secret.toWellFormed()
  const bytes = Buffer.from(text)
  const hex = bytes.toString('hex')
  const encoded = [secret, ...jsonForms(text), ...urlForms(text), hex, hex.toUpperCase()]
  encoded.push(...base64Forms(bytes))
  if (bytes.length !== text.length && /^[\0-\xff]*$/.test(text)) {
    encoded.push(...base64Forms(Buffer.from(text, 'latin1')))
  }
  return encoded.filter((form) => form.length >= 4)
}

function jsonForms(text: string): string[] {
  const json = JSON.stringify(text).slice(1, -1)
  const ascii = json.replace(/[\u0080-\uffff]/g, escapeUnit)
  return [json, json.replaceAll('/', '\\/'), ascii, JSON.stringify(json).slice(1, -1)]
}

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
}

function urlForms(text: string): string[] {
  const component = encodeURIComponent(text)
  const strict = component.replace(/[!'()*]/g, escapeByte)
  const form = new URLSearchParams([['', text]]).toString().slice(1)
  const all = [component, strict, form, encodeURI(text), encodeURIComponent(component)]
  return all.flatMap((each) => [each, each.replace(/%[0-9A-F]{2}/g, lower)])
}

function escapeByte(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`
}

function lower(escaped: string): string {
  return escaped.toLowerCase()
}

// Inside a longer base64 text a secret starts at one of three offsets; the characters at its ends it shares with its
// neighbours, so they are left out.
function base64Forms(bytes: Buffer): string[] {
  const forms: string[] = []
  for (const offset of [0, 1, 2]) {
    const padded = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64')
    const start = Math.ceil((offset * 8) / 6)
    const end = Math.floor(((offset + bytes.length) * 8) / 6)
    const form = padded.slice(start, end)
    forms.push(form, form.replaceAll('+', '-').replaceAll('/', '_'))
  }
  return forms
}
