/** The built-in categories (docs/interface.md). */
export const CATEGORIES = [
  'HRIS',
  'MESSAGING',
  'CALENDAR',
  'TICKETING',
  'MAIL',
  'DOCUMENTATION',
  'ACCOUNTING',
  'ATS',
  'STORAGE',
  'PAYMENTS',
  'CRM',
  'MARKETING',
  'SUPPORT',
  'ANALYTICS',
  'DEVELOPER_TOOLS',
  'PROJECT_MANAGEMENT',
  'IDENTITY',
  'SOCIAL',
  'AI',
  'OTHER',
] as const

/** One of them. */
export type Category = (typeof CATEGORIES)[number]
