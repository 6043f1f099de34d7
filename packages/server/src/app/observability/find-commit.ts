import { readFileSync } from 'node:fs'

const ROOT = new URL('../../../../../', import.meta.url)

/** The commit of the running code: that of the release, or that of a clone of the repository; `unknown` in any other folder. */
export function findCommit(root: URL = ROOT): string {
  try {
    const { commit } = JSON.parse(readFileSync(new URL('release.json', root), 'utf8'))
    return String(commit)
  } catch {
    return findClonedCommit(root)
  }
}

function findClonedCommit(root: URL): string {
  const read = (file: string) => readFileSync(new URL(`.git/${file}`, root), 'utf8').trim()
  try {
    const head = read('HEAD')
    const commit = head.startsWith('ref: ') ? read(head.slice('ref: '.length)) : head
    return /^[\da-f]{40,64}$/.test(commit) ? commit : 'unknown'
  } catch {
    return 'unknown'
  }
}
