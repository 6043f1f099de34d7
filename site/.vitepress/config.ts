import { readFileSync } from 'node:fs'
import { defineConfig } from 'vitepress'
import { SITE_GROUPS } from '../../scripts/site/site-pages.ts'
import { toAnchor } from '../../scripts/site/to-site-page.ts'

const apiPages = JSON.parse(
  readFileSync(new URL('../generated/api-pages.json', import.meta.url), 'utf8'),
)

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
    config: ({ renderer }) => {
      // A header cell without text is announced as an empty header.
      renderer.rules.th_open = (tokens, index) =>
        tokens[index + 1]?.content === '' ? '<td>' : '<th>'
      renderer.rules.th_close = (tokens, index) =>
        tokens[index - 1]?.content === '' ? '</td>' : '</th>'
    },
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
  },
  themeConfig: {
    logo: { src: '/favicon.svg', alt: '' },
    search: { provider: 'local' },
    outline: { level: [2, 3] },
    nav: [
      { text: 'Quickstart', link: '/quickstart' },
      { text: 'API', link: '/api/connect-sessions' },
      { text: 'Self-hosting', link: '/self-hosting' },
    ],
    sidebar: [
      ...SITE_GROUPS.map(({ title, pages }) => ({
        text: title,
        items: pages.map((page) => ({
          text: page.title,
          link: `/${page.path.replace(/index$/, '')}`,
        })),
      })),
      { text: 'API reference', items: apiPages },
    ],
    footer: { message: 'Open source under the MIT licence. No paid edition, no telemetry.' },
  },
})
