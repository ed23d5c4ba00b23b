import type { OptionGroup } from '../../../ui/form/Select.tsx'
import type { Fields } from './draft.ts'

/** The headings of the field list, each with the beginnings of its fields' names. A field goes to the first that fits. */
const headings: readonly (readonly [string, RegExp])[] = [
  ['Custom fields', /^custom\./],
  [
    'Device',
    /^(hostname|displayName|status|organizationId|siteId|groupId|tags|machineId|enrolledAt|createdAt|updatedAt|lastSeenAt)/,
  ],
  ['Agent', /^(agentVersion|autoUpdate|mainAgent|watchdog)/],
  ['Operating system', /^(os|kernel|architecture|users)/],
  ['Usage', /^(cpuPercent|memory|disk(Used|Total|Percent|Free)|load1m|uptime|network[RT]x|processCount)/],
  ['Software and services', /^(software|service)/],
  ['Network', /^network\./],
  ['Hardware', /./],
]

/** The fields of a filter under headings, in the order of their labels. */
export function fieldGroups(fields: Fields): OptionGroup<string>[] {
  const grouped = Map.groupBy(fields, ([name]) => headings.find(([, form]) => form.test(name))?.[0] ?? '')
  return headings.flatMap(([label]) => {
    const found = grouped.get(label) ?? []
    const options = found
      .map(([name, field]) => [name, field.label] as const)
      .toSorted(([, one], [, other]) => one.localeCompare(other))
    return options.length === 0 ? [] : [{ label, options }]
  })
}
