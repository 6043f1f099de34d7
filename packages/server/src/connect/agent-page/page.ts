import { timingSafeEqual } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { WorkspaceAccess } from '../../access/auth/caller.ts'
import type { Workspace } from '../../access/workspaces/workspace.ts'
import type { AgentApprovalDeps } from '../../accounts/agents/agent-approval-operations.ts'
import type { AgentSessionStore } from '../../accounts/agents/agent-session-store.ts'
import type { CreateOAuthSessionDeps } from '../../accounts/agents/create-oauth-session.ts'
import type { SignInRequest } from '../../accounts/agents/sign-in-request.ts'
import type { SignInRequestStore } from '../../accounts/agents/sign-in-request-store.ts'
import type { AuthorizationServer } from '../../accounts/mcp/authorization/authorization-server.ts'
import { getForm, type PublicUrlRedirect } from '../../platform/http/browser-request.ts'
import type { TranslateError } from '../../platform/http/error-handler.ts'
import {
  createPageLayout,
  type PageLayout,
  type Screen,
  sendScreen,
} from '../../platform/ui/screen.ts'
import {
  getFormSession,
  type PageCookie,
  type PageSession,
} from '../connect-page/page/page-session.ts'
import type { CreateConnectSessionDeps } from '../connect-sessions/create-connect-session.ts'
import { endedScreen } from './screens.ts'

export interface AgentPageDeps
  extends Omit<AgentApprovalDeps, 'vault' | 'agentSessions'>,
    CreateConnectSessionDeps,
    Omit<CreateOAuthSessionDeps, 'agentSessions'> {
  readonly agentSessions: AgentSessionStore
  readonly authorizationServer: AuthorizationServer
  readonly signInRequests: SignInRequestStore
  readonly publicAddress: PublicUrlRedirect
  readonly translateError: TranslateError
}

/** A page and what it belongs to. */
export interface AgentPage {
  readonly deps: AgentPageDeps
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly signIn: SignInRequest
  readonly workspace: Workspace
  /** What the page acts with: the owner of the workspace, bound to it. */
  readonly access: WorkspaceAccess
  readonly cookie: PageCookie
}

/** The session of the browser that submits a form of this page; undefined for another site or browser, or without the cookie. */
export function readFormSession({ deps, request, cookie }: AgentPage): PageSession | undefined {
  const session = getFormSession(request, getForm(request), deps.baseUrl(), {
    allowedKinds: ['page'],
    cookie,
  })
  return session === 'expired' ? undefined : session
}

export function isOpenedBy({ browserHash }: SignInRequest, { hash }: PageSession): boolean {
  return browserHash !== null && timingSafeEqual(browserHash, hash)
}

export function sendEnded(page: AgentPage): FastifyReply {
  return send(page, ({ messages }) => endedScreen(messages))
}

export function send(
  { request, reply, workspace }: AgentPage,
  render: (layout: PageLayout) => Screen,
): FastifyReply {
  const layout = { ...createPageLayout(request), branding: workspace.settings.theme }
  return sendScreen(reply, layout, render(layout))
}
