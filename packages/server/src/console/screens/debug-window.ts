import type { AccountHealth, IntegrationAccount } from '@linchpin/sdk'
import { type Html, html } from '../../platform/ui/html.ts'
import { linkButton, panel, submitButton } from '../parts/content.ts'
import { type IconName, icon } from '../parts/icons.ts'
import { timeAgo } from '../parts/time.ts'
import { whyNot } from '../parts/why-not.ts'
import type { Answer, Submission, View } from '../screen.ts'

const CONNECTIONS = '/console/connections'
const SECONDS = 15 * 60

/** Starts, prolongs and ends the recording of requests, and says when it ends. Changes need elevated rights. */
export function renderDebugWindow(
  view: View,
  { integrationAccountId }: Pick<IntegrationAccount, 'integrationAccountId'>,
  { debugWindow }: Pick<AccountHealth, 'debugWindow'>,
  isElevated: boolean,
): Html {
  const { words, now } = view
  const texts = words.debugWindow
  const connection = `${CONNECTIONS}/${integrationAccountId}`
  const path = `${connection}/debug`
  const disabledBecause = whyNot(view, 'credentials:read', 'elevated')
  const change = (seconds: number, text: string, name: IconName) =>
    isElevated && disabledBecause === undefined
      ? html`<form method="post" action="${path}">${view.formFields(path)}${submitButton({ text, icon: name, value: ['seconds', String(seconds)] })}</form>`
      : linkButton(
          {
            text: disabledBecause === undefined ? texts.confirm : text,
            icon: 'lock',
            disabledBecause,
          },
          `/console/elevate?to=${encodeURIComponent(connection)}`,
        )
  return panel(
    texts.title,
    debugWindow === null
      ? html`<div class="stack"><p class="quiet">${texts.text}</p>${disabledBecause === undefined ? '' : html`<p class="quiet">${disabledBecause}</p>`}<div class="buttons">${change(SECONDS, texts.start, 'clock')}</div></div>`
      : html`<div class="stack"><p class="line"><span class="status warn">${icon('clock', 16)}<span>${texts.open}</span></span><span class="quiet">${texts.ends} ${timeAgo(debugWindow.until, now, words)}</span></p><p class="quiet">${texts.recorded(debugWindow.exchanges)}</p><div class="buttons">${change(0, texts.end, 'pause')}</div></div>`,
  )
}

/** The form of it. */
export async function changeDebugWindow(view: Submission): Promise<Answer> {
  const { form, formId, params, words } = view
  const location = `${CONNECTIONS}/${params.integrationAccountId}`
  const api = await view.openApi('elevated')
  if (api === undefined) return { location: `/console/elevate?to=${encodeURIComponent(location)}` }
  const seconds = form.get('seconds') === '0' ? 0 : SECONDS
  const { until } = await api.accounts.startDebugWindow(
    params.integrationAccountId ?? '',
    { seconds },
    { idempotencyKey: formId },
  )
  const { started, ended } = words.debugWindow
  return { location, notice: until === null ? ended : started }
}
