import Type, { type TOptional, type TString } from 'typebox'
import { StrictObject } from '../../platform/http/schema.ts'
import { LANGUAGES, type Language } from '../../platform/i18n/language.ts'

const HttpsUrl = (description: string) =>
  Type.String({ format: 'uri', pattern: '^https?://', maxLength: 2_048, description })

const PlainText = (description: string) =>
  Type.String({
    maxLength: 300,
    pattern: '^[^\\u0000-\\u001f\\u007f]*[^\\s\\u0000-\\u001f\\u007f][^\\u0000-\\u001f\\u007f]*$',
    description,
  })

/** A text and its translations; a language without one shows the default. */
const Translated = (description: string) => {
  const translations = LANGUAGES.map((language) => [
    language,
    Type.Optional(PlainText(`The text in the language ${language}.`)),
  ])
  return StrictObject(
    {
      default: PlainText('The text in every other language.'),
      ...(Object.fromEntries(translations) as TranslationFields),
    },
    { description },
  )
}

type TranslationFields = Record<Language, TOptional<TString>>

const ACCENT_COLOR = 'A hex color such as #3366ff.'
const LOGO_URL = 'URL of the logo.'
const PRIVACY_URL = 'URL of the privacy notice.'
const TERMS_URL = 'URL of the terms.'
const SHOW_FOOTER = 'Whether pages say "Secured by Linchpin". Default: true.'
const CORNER_RADIUS = 'Of the card, in pixels; smaller elements follow. Default: 14.'
const TEXTS = 'Own texts, plain, of at most 300 characters.'
const APPEARANCE = 'The appearance of the pages of this workspace.'

/** The theme in a request. */
export const Theme = StrictObject(
  {
    accentColor: Type.Optional(
      Type.String({
        pattern: '^#[0-9a-fA-F]{6}$',
        description: ACCENT_COLOR,
      }),
    ),
    logoUrl: Type.Optional(HttpsUrl(LOGO_URL)),
    privacyUrl: Type.Optional(HttpsUrl(PRIVACY_URL)),
    termsUrl: Type.Optional(HttpsUrl(TERMS_URL)),
    showFooter: Type.Optional(Type.Boolean({ description: SHOW_FOOTER })),
    cornerRadius: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 32,
        description: CORNER_RADIUS,
      }),
    ),
    texts: Type.Optional(
      StrictObject(
        {
          introduction: Type.Optional(Translated('Below the title of the list.')),
          success: Type.Optional(Translated('On the screen that says what is connected.')),
          support: Type.Optional(Translated('Below every page: whom to contact.')),
        },
        { description: TEXTS },
      ),
    ),
  },
  { description: `${APPEARANCE} Replaced as a whole.` },
)

/** The theme in a response: what was valid when it was stored. */
export const StoredTheme = Type.Object(
  {
    accentColor: Type.Optional(Type.String({ description: ACCENT_COLOR })),
    logoUrl: Type.Optional(Type.String({ description: LOGO_URL })),
    privacyUrl: Type.Optional(Type.String({ description: PRIVACY_URL })),
    termsUrl: Type.Optional(Type.String({ description: TERMS_URL })),
    showFooter: Type.Optional(Type.Boolean({ description: SHOW_FOOTER })),
    cornerRadius: Type.Optional(Type.Integer({ description: CORNER_RADIUS })),
    texts: Type.Optional(
      Type.Object(
        {
          introduction: Type.Optional(Translated('Below the title of the list.')),
          success: Type.Optional(Translated('On the screen that says what is connected.')),
          support: Type.Optional(Translated('Below every page.')),
        },
        { additionalProperties: false, description: TEXTS },
      ),
    ),
  },
  { additionalProperties: false, description: APPEARANCE },
)
