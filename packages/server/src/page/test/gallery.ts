/**
 * Pictures of every screen, to be looked at: `node packages/server/src/page/test/gallery.ts [languages] [screens]` draws
 * contact sheets into tmp/gallery (not committed), one per language, theme and width.
 */
import { mkdirSync } from 'node:fs'
import Fastify from 'fastify'
import { chromium } from 'playwright-core'
import { assetRoutes } from '../assets.ts'
import { html } from '../html.ts'
import { chooseLanguage } from '../language.ts'
import { layout } from '../layout.ts'
import { newNonce } from '../nonce.ts'
import { sendPage } from '../send-page.ts'
import { wordsOf } from '../words/words-of.ts'
import { scenes } from './scenes.ts'

const [languages = 'en,de,ar', only = '', accent] = process.argv.slice(2)
const folder = new URL('../../../../../tmp/gallery/', import.meta.url).pathname
mkdirSync(folder, { recursive: true })

const app = Fastify()
await app.register(assetRoutes)
app.get<{ Params: { name: string }; Querystring: { lang: string; theme: 'light' | 'dark' } }>(
  '/scene/:name',
  (request, reply) => {
    const language = chooseLanguage(request.query.lang, undefined)
    const nonce = newNonce()
    const main = scenes(wordsOf(language)).get(request.params.name) ?? html`?`
    const page = layout({
      ...{ language, nonce, main, accent, theme: request.query.theme, mode: 'page' as const },
      title: request.params.name,
      links: { privacy: 'https://acme.example/privacy', terms: 'https://acme.example/terms' },
    })
    const origin = `http://${request.headers.host}`
    return sendPage(reply, 200, page, { nonce, frameAncestors: [origin] })
  },
)
app.get<{ Querystring: { lang: string; theme: string; width: string } }>(
  '/sheet',
  (request, reply) => {
    const { lang, theme, width } = request.query
    const names = [...scenes(wordsOf('en')).keys()].filter((name) => name.includes(only))
    const frames = names.map(
      (name) =>
        html`<iframe src="/scene/${name}?lang=${lang}&theme=${theme}" width="${width}" height="${width === '320' ? 640 : 720}" style="border:0"></iframe>`,
    )
    return reply
      .type('text/html; charset=utf-8')
      .send(
        html`<body style="margin:0;display:flex;flex-wrap:wrap;gap:4px;background:#888">${frames}`
          .text,
      )
  },
)
const origin = await app.listen({ port: 0, host: '127.0.0.1' })
const browser = await chromium.launch({
  executablePath: '/usr/bin/chromium',
  args: [
    '--no-sandbox',
    '--disable-gpu',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ],
})
for (const lang of languages.split(','))
  for (const theme of ['light', 'dark'])
    for (const width of [320, 520]) {
      const page = await browser.newPage({
        viewport: { width: (width + 4) * (width === 320 ? 8 : 5), height: 720 },
      })
      await page.goto(`${origin}/sheet?lang=${lang}&theme=${theme}&width=${width}`)
      await page.waitForTimeout(300)
      await page.screenshot({ path: `${folder}${lang}-${theme}-${width}.png`, fullPage: true })
      await page.close()
    }
await browser.close()
await app.close()
