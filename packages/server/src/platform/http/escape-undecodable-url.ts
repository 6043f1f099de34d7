/** A malformed id is an unknown id, so invalid percent-encoding must reach the routes unchanged. */
export function escapeUndecodableUrl(url: string): string {
  if (!url.includes('%')) return url
  const path = url.split('?', 1)[0] ?? ''
  try {
    decodeURIComponent(path)
    return url
  } catch {
    return path.replaceAll('%', '%25') + url.slice(path.length)
  }
}
