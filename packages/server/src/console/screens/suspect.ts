import type { Linchpin } from '@linchpin/sdk'
import { isLinchpinError } from '@linchpin/sdk'
import { type Html, html } from '../../platform/ui/html.ts'
import { banner, submitButton } from '../parts/content.ts'
import { formatNumber } from '../parts/table.ts'
import { exactTime } from '../parts/time.ts'
import { whyNot } from '../parts/why-not.ts'
import type { Answer, Submission, View } from '../screen.ts'

/** What of a tool a banner names. */
interface Tool {
  readonly id: string
  readonly name: string
}

/** That the rejections of a tool are not believed, and who can change that; undefined if they are. */
export async function suspectBanner(view: View, { id, name }: Tool): Promise<Html | undefined> {
  const { words } = view
  const { suspect } = words
  const health = await findHealth(view.api, id)
  if (health === undefined || health.since === null) return undefined
  const path = `/console/integrations/${id}/trust`
  return banner('warn', {
    title: html`${suspect.title(name)} ${exactTime(health.since)}`,
    text: suspect.text(formatNumber(health.held), health.held),
    action: html`<form method="post" action="${path}">${view.formFields(path)}${submitButton({ text: suspect.trust, icon: 'alert', disabledBecause: whyNot(view, 'definitions:write') })}</form>`,
  })
}

/** Undefined for a tool that was removed. */
async function findHealth(api: Linchpin, id: string) {
  try {
    return await api.definitions.getHealth(id)
  } catch (error) {
    if (isLinchpinError(error) && error.status === 404) return undefined
    throw error
  }
}

/** Believes the rejections of a tool again. */
export async function trust({ api, params, words, formId }: Submission): Promise<Answer> {
  const id = params.integrationDefinitionId ?? ''
  await api.definitions.trust(id, {}, { idempotencyKey: formId })
  return { location: `/console/connections?integration=${id}`, notice: words.suspect.trusted }
}
