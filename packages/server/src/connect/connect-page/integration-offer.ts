import type { DefinitionSummary } from '../../integrations/definitions/definition.ts'
import type { Offer } from '../../integrations/oauth-apps/select-oauth-app.ts'
import type { FormActionCsp, PageLayout, Screen } from '../../platform/ui/screen.ts'
import type { GivenValues } from '../connect-sessions/given-config.ts'
import type { ConnectionChoice } from '../oauth-flow/callback/complete-choice.ts'
import type { AuthMethod } from './form/auth-method.ts'
import type { FormField } from './form/form-field.ts'
import type { ParsedForm } from './form/parse-form.ts'
import type { PageContext } from './page/page-context.ts'

/** Why no integration is offered. */
export type EmptyReason =
  | 'noneInWorkspace'
  | 'noneMatchKeys'
  | 'noneWithSignIn'
  | 'toolGone'
  | 'appMissing'
  | 'appRemoved'

/** The integrations that a link offers, or the reason why there are none. */
export type IntegrationOffer =
  | {
      readonly integrations: readonly IntegrationOption[]
      readonly emptyReason?: undefined
      /** Integrations whose every auth method requires an OAuth app that is missing. */
      readonly unavailable: readonly IntegrationOption[]
    }
  | {
      readonly integrations: readonly []
      readonly emptyReason: EmptyReason
      readonly notConfigured?: IntegrationOption | undefined
    }

/** An integration that the link allows, with its auth methods, sign-in first. */
export interface IntegrationOption extends Offer<AuthMethod> {
  readonly definition: DefinitionSummary
}

/** Why a link accepts no further account. */
export type LinkLimitReason = 'link_full' | 'link_identifier_full'

/** The step of the page: the list, the auth methods of an integration, or a form. */
export type PageStep =
  | { readonly type: 'list' }
  | {
      readonly type: 'auth-methods'
      readonly integration: IntegrationOption
      readonly back: string | undefined
    }
  | ({ readonly type: 'form' } & FormStep)

export interface FormStep {
  readonly integration: IntegrationOption
  readonly authMethod: AuthMethod
  /** The fields to fill in. */
  readonly fields: readonly FormField[]
  /** The values that the connect session gives for other fields. */
  readonly givenConfig: GivenValues
  /** Those of their fields that the person may see. */
  readonly lockedFields: readonly FormField[]
  /** URL of the back link; undefined when the form is the first step. */
  readonly back: string | undefined
  readonly formActionCsp: FormActionCsp
}

/** A submitted form and its page. */
export interface SubmittedForm {
  readonly page: PageContext
  readonly step: FormStep
  /** The form's ID, which is processed once. */
  readonly submissionId: string
  readonly parsedForm: ParsedForm
  /** What the person has chosen for a user who is connected already. */
  readonly choice: ConnectionChoice | undefined
}

/** The URL that a form was submitted to. */
export interface FormRequest {
  readonly mode: 'page' | 'frame'
  readonly pageId: string
  readonly searchParams: URLSearchParams
}

/** A form that may be processed, or the screen to show instead. */
export type LoadedForm =
  | { readonly submitted: SubmittedForm }
  | { readonly submitted?: undefined; readonly layout: PageLayout; readonly screen: Screen }
