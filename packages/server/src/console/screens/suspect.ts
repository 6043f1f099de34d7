import type { AccountCount, Linchpin } from '@linchpin/sdk'
import { isLinchpinError } from '@linchpin/sdk'
import { type Html, html } from '../../platform/ui/html.ts'
import { banner, submitButton } from '../parts/content.ts'
import { formatNumber } from '../parts/table.ts'
import { exactTime } from '../parts/time.ts'
import { whyNot } from '../parts/why-not.ts'
import type { Answer, DefinitionNames, Submission, View } from '../screen.ts'

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

/** The same for all tools of a workspace: those whose rejections are not believed, the ones with most connections first. */
export async function suspectBanners(
  view: View,
  names: DefinitionNames,
  counts: AccountCount | undefined,
): Promise<Html | undefined> {
  const suspects = (counts?.byDefinition ?? []).filter((each) => each.isSuspect)
  if (suspects.length === 0) return undefined
  const banners = suspects
    .slice(0, MAX_BANNERS)
    .map(({ integrationDefinitionId: id }) =>
      suspectBanner(view, { id, name: names.get(id)?.name ?? id }),
    )
  return html`${(await Promise.all(banners)).map((each) => each ?? '')}`
}

const MAX_BANNERS = 3

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
