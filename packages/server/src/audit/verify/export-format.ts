/** The type of the first line of an export of the audit trail. */
export const EXPORT_TYPE = 'linchpin-audit-export'
