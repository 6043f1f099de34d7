import type { AddressInfo } from 'node:net'
import Fastify from 'fastify'
import { generateNonce, sendPage } from '../../http/send-page.ts'
import { chooseLanguage, getMessages } from '../../i18n/language.ts'
import { assetRoutes } from '../assets.ts'
import { html } from '../html.ts'
import { renderLayout } from '../screen.ts'
import { createScenes } from './scenes.ts'

export interface Gallery {
  readonly origin: string
  readonly names: readonly string[]
  close(): Promise<void>
}

interface SceneQuery {
  readonly lang?: string
  readonly theme?: 'light' | 'dark'
  readonly mode?: 'page' | 'frame'
}

/** Serves every scene on loopback: `/scene/{name}?lang&theme&mode`, as real pages with their policy. */
export async function startGallery(accent?: string): Promise<Gallery> {
  const app = Fastify()
  await app.register(assetRoutes)
  app.get<{ Params: { name: string }; Querystring: SceneQuery }>(
    '/scene/:name',
    (request, reply) => {
      const { lang, theme, mode = 'page' } = request.query
      const language = chooseLanguage(lang, undefined)
      const nonce = generateNonce()
      const main = createScenes(getMessages(language)).get(request.params.name) ?? html`?`
      const title = request.params.name
      const links = { privacy: 'https://acme.example/p', terms: 'https://acme.example/t' }
      const page = renderLayout({ language, nonce, main, accent, theme, mode, title, links })
      const frameAncestors = [`http://${request.headers.host}`]
      return sendPage(reply, 200, page, { nonce, frameAncestors })
    },
  )
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  return {
    origin: `http://127.0.0.1:${port}`,
    names: [...createScenes(getMessages('en')).keys()],
    close: () => app.close(),
  }
}
