import { getWorkspaceHeading } from '../../../platform/i18n/language.ts'
import type { Message } from '../../../platform/i18n/messages.ts'
import { actions, button } from '../../../platform/ui/field.ts'
import { type StateHeader, stateHeader, topBar } from '../../../platform/ui/header.ts'
import { type Html, html } from '../../../platform/ui/html.ts'
import type { SessionAccount } from '../../attempts/submission.ts'
import { buildReturnUrl, type ReturnParams } from '../../oauth-flow/session/redirect-url.ts'
import { buildPortalUrl, isPortal, type PageContext } from '../page/page-context.ts'

/** The bar above a screen: back link, workspace, and close link. `hasTiles`: without the workspace, whose tile is below it. */
export function pageHeader(
  page: PageContext,
  {
    back,
    accounts = [],
    confirmToken,
    hasTiles = false,
  }: {
    back?: string | undefined
    accounts?: readonly SessionAccount[]
    confirmToken?: string | undefined
    hasTiles?: boolean
  } = {},
): Html {
  const { messages, workspaceName, logo } = page
  const workspace = hasTiles
    ? undefined
    : { name: getWorkspaceHeading(workspaceName, messages), logo }
  if (page.window !== undefined) return topBar({ workspace })
  // The URL has the `accountIdentifier`, which is not for everyone with the token.
  const href = page.startToken === undefined ? getExitUrl(page, accounts, confirmToken) : undefined
  const backUrl = back ?? getPortalUrl(page)
  const isFrame = page.mode === 'frame'
  return topBar({
    back:
      backUrl === undefined
        ? undefined
        : {
            text: messages.action.back,
            href: backUrl,
            attributes: { 'data-go': true, 'data-back': true },
          },
    workspace,
    exit:
      href === undefined && !isFrame
        ? undefined
        : {
            text: messages.action.close,
            href: isFrame ? undefined : href,
            // In a frame the script notifies the host page.
            attributes: { 'data-exit': true, hidden: isFrame },
          },
  })
}

/** The button that leaves the page: back to the redirect URL, or closes the frame. Undefined without a redirect URL. */
export function doneButton(
  page: PageContext,
  accounts: readonly SessionAccount[],
  confirmToken?: string,
  kind?: 'quiet',
): Html | undefined {
  const { messages, workspaceName } = page
  if (page.mode === 'frame')
    return button({
      text: messages.action.done,
      kind,
      attributes: { type: 'button', 'data-exit': true, hidden: true },
    })
  const href = getExitUrl(page, accounts, confirmToken)
  return href === undefined
    ? undefined
    : button({
        text: messages.action.returnTo({ workspace: workspaceName }),
        kind,
        href,
        attributes: { 'data-exit': true },
      })
}

/** The list of a portal, unless the page shows it; undefined without a portal. */
function getPortalUrl(page: PageContext): string | undefined {
  if (page.connectSession?.mode !== 'manage' || isPortal(page)) return undefined
  return buildPortalUrl(page)
}

/** The redirect URL with the last account of the session, or with `cancelled`. */
function getExitUrl(
  page: PageContext,
  accounts: readonly SessionAccount[],
  confirmToken: string | undefined,
): string | undefined {
  const { redirectURL } = page.query
  return redirectURL === undefined
    ? undefined
    : buildReturnUrl(redirectURL, {
        ...getReturnValues(page, accounts),
        confirmToken: confirmToken ?? null,
      })
}

function getReturnValues(
  { link, connectSession, query }: PageContext,
  accounts: readonly SessionAccount[],
): ReturnParams {
  const lastAccount = accounts.at(-1)
  const accountIdentifier = lastAccount?.accountIdentifier ?? query.accountIdentifier ?? null
  // A session does not reveal its link, through which anyone could connect.
  const origin =
    connectSession === undefined
      ? { linkId: link.linkId }
      : { connectSessionId: connectSession.connectSessionId }
  if (lastAccount === undefined)
    return { success: 'false', error: 'cancelled', accountIdentifier, ...origin }
  return {
    success: 'true',
    integrationName: lastAccount.definitionName,
    accountIdentifier,
    integrationAccountId: lastAccount.accountId,
    ...origin,
  }
}

/** Templates of the screens that the script shows while it waits, in the language of the page. */
export function waitingTemplates(page: PageContext, tool: string): Html {
  const { messages } = page
  const { action, states } = messages
  const blocked = page.mode === 'frame' ? states.popupBlockedInFrame : states.popupBlocked
  const continueButton = button({
    text: action.continueTo({ tool }),
    attributes: { type: 'button', 'data-same-window': true },
  })
  return html`${[
    template('checking', 'wait', states.checking({ tool })),
    template('slow', 'wait', states.slow({ tool }), templateButton('leave', action.cancel)),
    template(
      'waitingSignIn',
      'wait',
      states.waitingSignIn({ tool }),
      templateButton('open-again', action.openAgain),
      templateButton('leave', action.cancel),
    ),
    template('popupBlocked', 'warning', blocked({ tool }), continueButton),
    template(
      'windowClosed',
      'warning',
      states.windowClosed({ tool }),
      templateButton('open-again', action.tryAgain, 'primary'),
      templateButton('leave', action.cancel),
    ),
    offlineTemplate(page),
  ]}`
}

/** Template for an unreachable server: the entered values are preserved for a retry. */
export function offlineTemplate({ messages: { action, states } }: PageContext): Html {
  return template(
    'offline',
    'warning',
    states.offline({}),
    templateButton('retry', action.tryAgain, 'primary'),
  )
}

function templateButton(name: string, text: string, kind: 'primary' | 'quiet' = 'quiet'): Html {
  return button({ text, kind, attributes: { type: 'button', [`data-${name}`]: true } })
}

function template(
  name: string,
  mark: StateHeader['mark'],
  { title, body }: Message,
  ...buttons: readonly Html[]
): Html {
  return html`<template data-words="${name}">${stateHeader({ mark, title, body })}${
    buttons.length === 0 ? '' : actions(...buttons)
  }</template>`
}
