import { readFileSync } from 'node:fs'
import { defineConfig } from 'vitepress'
import {
  API_REFERENCE,
  DOCUMENT_GROUPS,
  type DocumentPage,
  toAnchor,
} from '../../packages/server/src/app/observability/documentation/documents.ts'

import { configureMarkdown } from './markdown.ts'

const apiPages = JSON.parse(
  readFileSync(new URL('../generated/api-pages.json', import.meta.url), 'utf8'),
)

const groups = DOCUMENT_GROUPS.map(({ title, pages }) => ({
  text: title,
  items: title === API_REFERENCE ? apiPages : pages.map(toItem),
}))

/** The site. `SITE_URL` is its public address, for the sitemap; `SITE_BASE` its path, if that is not `/`. */
export default defineConfig({
  title: 'Linchpin',
  description: 'Lets the customers of your product connect the tools they already use.',
  lang: 'en',
  base: (process.env.SITE_BASE ?? '/') as `/${string}/`,
  srcDir: 'generated/pages',
  outDir: 'dist',
  cacheDir: 'generated/cache',
  metaChunk: true,
  lastUpdated: false,
  sitemap: { hostname: process.env.SITE_URL ?? 'http://localhost:4173' },
  head: [
    [
      'link',
      { rel: 'icon', type: 'image/svg+xml', href: `${process.env.SITE_BASE ?? '/'}favicon.svg` },
    ],
  ],
  ignoreDeadLinks: [/^https?:\/\/(localhost|127\.0\.0\.1)/],
  vite: { build: { chunkSizeWarningLimit: 3000 } },
  markdown: {
    anchor: { slugify: toAnchor },
    config: configureMarkdown,
    // Shown without colours.
    languages: [{ name: 'promql', scopeName: 'source.promql', patterns: [], repository: {} }],
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
  },
  themeConfig: {
    logo: { src: '/favicon.svg', alt: '' },
    search: {
      provider: 'local',
      // A section has all words. One of three characters, such as 503, has to be the same.
      options: { miniSearch: { searchOptions: { combineWith: 'AND', fuzzy: 0.15 } } },
    },
    outline: { level: [2, 3] },
    nav: [
      { text: 'Quickstart', link: '/quickstart' },
      { text: 'API', link: '/api/' },
      { text: 'Self-hosting', link: '/self-hosting' },
    ],
    // On pages of the API, its group is first: a list that folds is not accessible in VitePress 1.
    sidebar: {
      '/api/': [...groups.filter(isApi), ...groups.filter((group) => !isApi(group))],
      '/': groups,
    },
    footer: { message: 'Open source under the MIT licence. No paid edition, no telemetry.' },
  },
})

function toItem({ path, title }: DocumentPage): { text: string; link: string } {
  return { text: title, link: `/${path.replace(/index$/, '')}` }
}

function isApi({ text }: { text: string }): boolean {
  return text === API_REFERENCE
}
