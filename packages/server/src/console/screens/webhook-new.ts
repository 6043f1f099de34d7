import { html } from '../../platform/ui/html.ts'
import { banner, copyable, facts, linkButton, snippet, submitButton } from '../parts/content.ts'
import { type FormErrors, formBanner, toFormErrors } from '../parts/form-errors.ts'
import type { Answer, Page, Screen, Submission, View } from '../screen.ts'
import { showForbidden } from './forbidden.ts'
import {
  ENDPOINT_FIELDS,
  type EndpointValues,
  NEW_ENDPOINT,
  readEndpointValues,
  renderEndpointFields,
  toEndpointSettings,
} from './webhook-form.ts'

const PATH = '/console/webhooks'

/** Where should events go? */
export const newWebhookScreen: Screen = {
  path: '/webhooks/new',
  show: async (view) => showForbidden(view, 'webhooks', 'webhooks') ?? showForm(view, NEW_ENDPOINT),
  actions: { '': create },
}

function showForm(view: View, values: EndpointValues, errors?: FormErrors): Page {
  const { words } = view
  return {
    title: words.webhooks.newTitle,
    section: 'webhooks',
    status: errors === undefined ? 200 : 422,
    parent: { href: PATH, label: words.sections.webhooks },
    banner: formBanner(errors),
    // Without Turbo, because the response shows the secret once instead of leading elsewhere.
    main: html`<form method="post" action="${PATH}/new" class="stack form" data-turbo="false">${view.formFields(`${PATH}/new`)}
${renderEndpointFields(view, values, errors)}
<div class="buttons">${submitButton({ text: words.webhooks.create, kind: 'primary' })}${linkButton({ text: words.app.cancel }, PATH)}</div></form>`,
  }
}

async function create(view: Submission): Promise<Answer> {
  const { api, form, formId } = view
  const values = readEndpointValues(form)
  try {
    const { secret, webhookEndpointId, url } = await api.webhookEndpoints.create(
      toEndpointSettings(values),
      { idempotencyKey: formId },
    )
    return showSecret(view, { secret, webhookEndpointId, url })
  } catch (error) {
    return showForm(view, values, toFormErrors(error, ENDPOINT_FIELDS))
  }
}

/** The page with a new secret: the only one that has it. */
export function showSecret(
  { words }: View,
  {
    secret,
    webhookEndpointId,
    url,
  }: { readonly secret: string; readonly webhookEndpointId: string; readonly url: string },
): Page {
  const { webhooks } = words
  return {
    title: webhooks.secretTitle,
    section: 'webhooks',
    parent: { href: PATH, label: words.sections.webhooks },
    banner: banner('warn', { title: webhooks.secretOnce, text: webhooks.secretText }),
    main: html`<div class="stack form">${facts([
      [webhooks.endpoint, url],
      ['ID', copyable(webhookEndpointId, words)],
    ])}${snippet(secret, words, webhooks.secret)}${snippet(RECEIVER, words, webhooks.receiver)}
<div class="buttons">${linkButton({ text: webhooks.openEndpoint, kind: 'primary' }, `${PATH}/${webhookEndpointId}`)}</div></div>`,
  }
}

/** A receiver for frameworks with `Request` and `Response`. */
export const RECEIVER = `import { env } from 'node:process'
import { webhookHandler } from '@linchpin/sdk/webhooks'

export const POST = webhookHandler({
  keys: env.WEBHOOK_SECRET,
  on: {
    'account.created': ({ data }) => connect(data.account),
    'account.needs_reauth': ({ data }) => askToReconnect(data.account),
  },
})`
