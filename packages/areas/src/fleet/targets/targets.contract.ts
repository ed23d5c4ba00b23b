import { csv, id } from '@muster/kit/contract.ts'
import { z } from 'zod'
import { tagCharsMax } from '../devices/tags.contract.ts'
import { FilterExpression } from '../filter-language/filter.contract.ts'

const idsMax = 10_000
const idsOf = () => csv(id(), idsMax).optional()

/** Devices by name, and those in named places and groups. */
export const Places = z.object({
  deviceIds: idsOf(),
  groupIds: idsOf(),
  orgIds: idsOf(),
  siteIds: idsOf(),
  tags: csv(z.string().max(tagCharsMax), 100).optional(),
})
export type Places = z.infer<typeof Places>

/** The targeted devices: the named ones and those in named places and groups, restricted by the filter. */
export const Targets = Places.extend({ filter: FilterExpression.optional() })
export type Targets = z.infer<typeof Targets>

/** Of a resource with targets: `targets` that name nothing are all devices of its owner; `exclude` are none of them. */
export interface TargetInput {
  readonly targets: Targets
  readonly exclude: Places
  /** Where it is given, it decides whether all devices are targeted, beside those that are named. */
  readonly everything?: boolean
}

/** Targets in an answer. Empty lists are left out, so that an answer can be sent back. */
export const SavedTargets = z.object({
  deviceIds: z.array(id()).optional(),
  groupIds: z.array(id()).optional(),
  orgIds: z.array(id()).optional(),
  siteIds: z.array(id()).optional(),
  tags: z.array(z.string()).optional(),
  filter: FilterExpression.optional(),
})

/** Whether targets name no device, group, organization, site or tag. */
export const namesNothing = ({ deviceIds, groupIds, orgIds, siteIds, tags }: Places): boolean =>
  [deviceIds, groupIds, orgIds, siteIds, tags].every((list) => (list ?? []).length === 0)
