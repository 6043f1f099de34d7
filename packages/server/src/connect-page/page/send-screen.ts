import type { FastifyReply } from 'fastify'
import { newNonce, renderLayout, sendPage } from '../../ui/send-page.ts'
import { sessionField } from '../session/page-session.ts'
import type { PageContext, PageLayout } from './page-context.ts'
import type { Screen } from './screen.ts'

/** Renders a screen as an HTML document and sends it. */
export function sendScreen(
  reply: FastifyReply,
  layout: PageLayout | PageContext,
  screen: Screen,
): FastifyReply {
  const { mode, language, theme, origins, settings } = layout
  const nonce = newNonce()
  const isFramed = mode === 'frame' || mode === 'why'
  if (screen.retryAfter !== undefined) reply.header('retry-after', String(screen.retryAfter))
  const document = renderLayout({
    language,
    title: screen.title,
    theme,
    accent: settings?.theme?.accentColor,
    nonce,
    mode,
    main: screen.main,
    data: {
      'data-state': screen.state,
      ...('session' in layout ? getSessionData(layout) : {}),
      'data-origins': isFramed ? origins.join(' ') : undefined,
      ...screen.data,
    },
    script: mode === 'why' ? 'link-why.js' : 'link-page.js',
    links: { privacy: settings?.theme?.privacyUrl, terms: settings?.theme?.termsUrl },
  })
  const frameAncestors = isFramed ? origins : undefined
  const isPopup = mode === 'closed' || ('window' in layout && layout.window !== undefined)
  return sendPage(reply, screen.status, document, {
    nonce,
    frameAncestors,
    isPopup,
    ...screen.formActionCsp,
  })
}

function getSessionData({ session, link }: PageContext): Record<string, string> {
  return { 'data-visit': sessionField(session), 'data-link': link.linkId }
}
