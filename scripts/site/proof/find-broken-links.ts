import { existsSync, globSync, readFileSync } from 'node:fs'
import path from 'node:path'

/** The links in the HTML files of a folder, and how many of them lead to no file or to no element of it. */
export function findBrokenLinks(folder: string): { count: number; broken: string[] } {
  const anchors = new Map<string, Set<string>>()
  const links = globSync('**/*.html', { cwd: folder })
    .filter((page) => page !== '404.html')
    .flatMap((page) =>
      [...read(page).matchAll(/<(?:a|img|link)\b[^>]*?\s(?:href|src)="([^"]+)"/g)]
        .map((match) => (match[1] ?? '').replaceAll('&amp;', '&'))
        .filter((target) => !/^(https?|data|mailto):/.test(target))
        .map((target) => ({ page, target })),
    )
  const broken = links.filter(({ page, target }) => !exists(page, target))
  return {
    count: links.length,
    broken: broken.map(({ page, target }) => `${page}: ${target}`),
  }

  function exists(page: string, target: string): boolean {
    const url = new URL(target, `http://site/${page}`)
    const file = decodeURI(url.pathname.slice(1)).replace(/(^|\/)$/, '$1index.html')
    if (!existsSync(path.join(folder, file))) return false
    return url.hash === '' || listAnchors(file).has(decodeURIComponent(url.hash.slice(1)))
  }

  function listAnchors(file: string): Set<string> {
    const known = anchors.get(file)
    if (known !== undefined) return known
    const found = new Set(
      [...read(file).matchAll(/\sid="([^"]+)"/g)].map((match) => match[1] ?? ''),
    )
    anchors.set(file, found)
    return found
  }

  function read(file: string): string {
    return readFileSync(path.join(folder, file), 'utf8')
  }
}
