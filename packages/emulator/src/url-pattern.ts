/** Which URLs a template stands for; the query does not count. `${name}` is one label or segment, and at the start a whole address. */
export function toUrlPattern(template: string): RegExp {
  const [withoutQuery = ''] = template.split(/[?#]/)
  const parts = withoutQuery.split(/(\$\{[^}]*\})/).map((part, index) => {
    if (!part.startsWith('${')) return escapePattern(part)
    return index === 1 && withoutQuery.startsWith('${') ? 'https?://[^?#]+?' : '[^/?#]+'
  })
  return new RegExp(`^${parts.join('')}$`)
}

/** A text as a part of a regular expression. `RegExp.escape` needs Node 24. */
export function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
}

/** A URL without query and fragment. */
export function withoutQuery(url: string): string {
  return url.replace(/[?#].*$/s, '')
}
