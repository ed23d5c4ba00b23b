import type { CustomField } from '@muster/areas/fleet/custom-fields/custom-fields.contract.ts'
import type { Device } from '@muster/areas/fleet/devices/devices.contract.ts'
import type { Column } from '../../../../ui/table/DataTable.tsx'

/** A value of a custom field as people read it; undefined where there is none. */
export const customText = (value: unknown): string | undefined =>
  value === undefined || value === null
    ? undefined
    : typeof value === 'boolean'
      ? value
        ? 'yes'
        : 'no'
      : String(value)

/** Columns of device lists for the fields that tenants define. Several organizations may use the same key. */
export function customColumns(fields: readonly CustomField[]): readonly Column<Device>[] {
  return [...new Map(fields.map((field) => [field.key, field])).values()].map(({ key, label }) => ({
    id: `custom-${key}`,
    header: label,
    width: 130,
    grow: 1,
    hidden: true,
    cell: ({ customFields }) => customText(customFields[key]) ?? '–',
    text: ({ customFields }) => customText(customFields[key]) ?? null,
  }))
}
