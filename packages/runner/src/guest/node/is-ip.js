const byte = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)'
const four = new RegExp(`^${byte}(?:\\.${byte}){3}$`)
const group = /^[0-9a-f]{1,4}$/i

/** `net.isIP`: 4, 6 or 0. */
export function isIP(address) {
  if (isIPv4(address)) return 4
  return isIPv6(address) ? 6 : 0
}

export function isIPv4(address) {
  return four.test(`${address}`)
}

/** RFC 4291 section 2.2, with an optional zone. */
export function isIPv6(address) {
  const [text, zone, ...more] = `${address}`.split('%')
  if (more.length > 0 || zone === '') return false
  const halves = text.split('::')
  if (halves.length > 2) return false
  const groups = halves.flatMap((half) => (half === '' ? [] : half.split(':')))
  const last = groups.at(-1) ?? ''
  const dotted = last.includes('.')
  if (dotted && !(isIPv4(last) && text.endsWith(last))) return false
  const plain = dotted ? groups.slice(0, -1) : groups
  const count = plain.length + (dotted ? 2 : 0)
  return plain.every((one) => group.test(one)) && (halves.length === 2 ? count < 8 : count === 8)
}
