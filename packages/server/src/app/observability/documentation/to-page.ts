import path from 'node:path'
import { findPage, findPagePath } from './documents.ts'

/**
 * A Markdown file of the repository as a page of the site. Its links to other pages lead there, and have their titles where
 * the file has their file names; links to files that are no pages, such as source files, become text. Code is unchanged.
 */
export function toPage(file: string, markdown: string): string {
  const sitePath = findPagePath(file) ?? ''
  return splitFences(markdown)
    .map((part) => (part.startsWith('```') ? part : rewriteLinks(part, file, sitePath)))
    .join('')
}

/** Fenced blocks of code, and the text between them. */
function splitFences(markdown: string): string[] {
  return markdown.split(/^(```[^\n]*\n[\s\S]*?^```$)/m)
}

function rewriteLinks(text: string, file: string, sitePath: string): string {
  return text.replaceAll(
    /(!?)\[((?:[^[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)/g,
    (link: string, image: string, label: string, target: string) => {
      if (/^([a-z]+:|#)/.test(target)) return link
      const [relative = '', anchor] = target.split('#')
      const linked = path.posix.join(path.posix.dirname(file), relative)
      if (image !== '') return `![${label}](${relativeTo(sitePath, linked.replace('docs/', ''))})`
      const page = findPagePath(linked)
      if (page === undefined) return isFileName(label, linked) ? `\`${label}\`` : label
      const title = isFileName(label, linked) ? (findPage(linked)?.title ?? label) : label
      return `[${title}](${relativeTo(sitePath, `${page}.md`)}${anchor === undefined ? '' : `#${anchor}`})`
    },
  )
}

/** Whether the text of a link is the name of its file, with or without folders. */
function isFileName(label: string, linked: string): boolean {
  return linked === label || linked.endsWith(`/${label}`)
}

function relativeTo(sitePath: string, target: string): string {
  const relative = path.posix.relative(path.posix.dirname(sitePath), target)
  return relative.startsWith('.') ? relative : `./${relative}`
}

/** The anchor of a heading, as GitHub generates it. */
export function toAnchor(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(' ', '-')
}

/** The text of a heading without its markup. */
export function toPlainText(heading: string): string {
  return heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll(/[`*]/g, '')
}
