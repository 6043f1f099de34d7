/**
 * Takes screenshots of every screen for review: `node packages/server/src/platform/ui/test/gallery.ts [languages] [names]
 * [accent]` draws contact sheets into tmp/gallery (not committed), one per language, theme and width.
 */
import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { startChromium } from '../../../../test/browser/chromium.ts'
import { html } from '../html.ts'
import { startGallery } from './gallery-server.ts'

const [languages = 'en,de,ar', nameFilter = '', accent] = process.argv.slice(2)
const folder = fileURLToPath(new URL('../../../../../tmp/gallery/', import.meta.url))
mkdirSync(folder, { recursive: true })
const gallery = await startGallery(accent)
const browser = await startChromium()
for (const lang of languages.split(','))
  for (const theme of ['light', 'dark'])
    for (const width of [320, 520]) await takeScreenshot(lang, theme, width)
await browser.close()
await gallery.close()

async function takeScreenshot(lang: string, theme: string, width: number): Promise<void> {
  const columns = width === 320 ? 8 : 5
  const page = await browser.newPage({ viewport: { width: (width + 4) * columns, height: 720 } })
  const query = `lang=${lang}&theme=${theme}`
  const frames = gallery.names
    .filter((name) => name.includes(nameFilter))
    .map((name) => {
      const src = `${gallery.origin}/scene/${name}?${query}`
      return html`<iframe src="${src}" width="${width}" height="${width === 320 ? 640 : 720}" style="border:0"></iframe>`
    })
  // Frames are allowed on the gallery's own origin only.
  await page.route(`${gallery.origin}/sheet`, (route) =>
    route.fulfill({
      contentType: 'text/html',
      body: html`<body style="margin:0;display:flex;flex-wrap:wrap;gap:4px;background:#888">${frames}`
        .text,
    }),
  )
  await page.goto(`${gallery.origin}/sheet`)
  await page.waitForTimeout(300)
  await page.screenshot({ path: `${folder}${lang}-${theme}-${width}.png`, fullPage: true })
  await page.close()
}
