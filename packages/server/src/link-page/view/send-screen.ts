import type { FastifyReply } from 'fastify'
import { layout } from '../../page/layout.ts'
import { newNonce } from '../../page/nonce.ts'
import { sendPage } from '../../page/send-page.ts'
import { visitField } from '../visit/visit.ts'
import type { Page, Shell } from './page.ts'
import type { Screen } from './screen.ts'

/** Writes a state as a page of its own and sends it. */
export function sendScreen(reply: FastifyReply, shell: Shell | Page, screen: Screen): FastifyReply {
  const { mode, language, theme, origins, settings } = shell
  const nonce = newNonce()
  const isFramed = mode === 'frame' || mode === 'why'
  if (screen.retryAfter !== undefined) reply.header('retry-after', String(screen.retryAfter))
  const page = layout({
    language,
    title: screen.title,
    theme,
    accent: settings?.theme?.accentColor,
    nonce,
    mode,
    main: screen.main,
    data: {
      'data-state': screen.state,
      ...('visit' in shell ? ofVisit(shell) : {}),
      'data-origins': isFramed ? origins.join(' ') : undefined,
      ...screen.data,
    },
    script: mode === 'why' ? 'link-why.js' : 'link-page.js',
    links: { privacy: settings?.theme?.privacyUrl, terms: settings?.theme?.termsUrl },
  })
  const frameAncestors = isFramed ? origins : undefined
  const isBeside = mode === 'closed' || ('window' in shell && shell.window !== undefined)
  return sendPage(reply, screen.status, page, {
    nonce,
    frameAncestors,
    isBeside,
    ...screen.targets,
  })
}

function ofVisit({ visit, link }: Page): Record<string, string> {
  return { 'data-visit': visitField(visit), 'data-link': link.link_id }
}
