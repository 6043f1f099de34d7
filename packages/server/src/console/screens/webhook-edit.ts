import type { WebhookEndpoint } from '@linchpin/sdk'
import { html } from '../../platform/ui/html.ts'
import { linkButton, submitButton } from '../parts/content.ts'
import { type FormErrors, formBanner, toFormErrors } from '../parts/form-errors.ts'
import type { Answer, Page, Screen, Submission, View } from '../screen.ts'
import { showForbidden } from './forbidden.ts'
import {
  ENDPOINT_FIELDS,
  type EndpointValues,
  readEndpointValues,
  renderEndpointFields,
  toEndpointSettings,
  toEndpointValues,
} from './webhook-form.ts'

const PATH = '/console/webhooks'

/** What should this endpoint get? */
export const editWebhookScreen: Screen = {
  path: '/webhooks/:webhookEndpointId/edit',
  async show(view) {
    const forbidden = showForbidden(view, 'webhooks', 'webhooks')
    if (forbidden !== undefined) return forbidden
    const endpoint = await view.api.webhookEndpoints.get(view.params.webhookEndpointId ?? '')
    return showForm(view, endpoint, toEndpointValues(endpoint))
  },
  actions: { '': save },
}

function showForm(
  view: View,
  endpoint: WebhookEndpoint,
  values: EndpointValues,
  errors?: FormErrors,
): Page {
  const { words } = view
  const path = `${PATH}/${endpoint.webhookEndpointId}`
  return {
    title: words.webhooks.editTitle,
    section: 'webhooks',
    status: errors === undefined ? 200 : 422,
    parent: { href: path, label: new URL(endpoint.url).host },
    banner: formBanner(errors),
    main: html`<form method="post" action="${path}/edit" class="stack form">${view.formFields(`${path}/edit`)}
${renderEndpointFields(view, values, errors, endpoint.headerNames)}
<div class="buttons">${submitButton({ text: words.app.save, kind: 'primary' })}${linkButton({ text: words.app.cancel }, path)}</div></form>`,
  }
}

async function save(view: Submission): Promise<Answer> {
  const { api, params, form, formId, words } = view
  const id = params.webhookEndpointId ?? ''
  const values = readEndpointValues(form)
  try {
    await api.webhookEndpoints.update(id, toEndpointSettings(values), { idempotencyKey: formId })
    return { location: `${PATH}/${id}`, notice: words.app.saved }
  } catch (error) {
    const errors = toFormErrors(error, ENDPOINT_FIELDS)
    return showForm(view, await api.webhookEndpoints.get(id), values, errors)
  }
}
