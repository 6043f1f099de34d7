/**
 * Whether a text can become a URL once each `${name}` in it is filled: https (or http, which only an operator can allow),
 * without a user, a password, a fragment or a blank; `${name}` may stand in the host, path and query, or as the whole
 * start. Blanks around it and an empty text count for nothing.
 */
export function isUrlTemplate(text: string): boolean {
  const template = text.trim()
  if (template === '') return true
  if (/[\s\\#]/.test(template)) return false
  const leadingField = /^\$\{[A-Za-z0-9_.-]+\}(?=[/?]|$)/
  const example = template
    .replace(leadingField, 'https://x')
    .replaceAll(/\$\{[A-Za-z0-9_.-]+\}/g, 'x')
  const url = /^https?:\/\//i.test(example) && !example.includes('${') ? URL.parse(example) : null
  return url !== null && `${url.username}${url.password}` === ''
}
