import { can, create, del, get, id, page, pageOf, success, time } from '@muster/kit/contract.ts'
import { releaseVersion } from '@muster/wire/release.ts'
import { z } from 'zod'

export const Pin = z.object({
  id: id(),
  orgId: id(),
  siteId: id().nullable(),
  groupId: id().nullable(),
  /** The only version that is offered; null: none is. */
  version: z.string().nullable(),
  reason: z.string().nullable(),
  createdBy: id().nullable(),
  createdAt: time(),
})

/** What an organization, one of its sites or one of its groups is to run. That of a group counts before that of a site. */
export const pins = {
  list: get('/agent-version-pins', {
    summary: 'List version pins of organizations, sites and groups',
    access: can('devices:read'),
    input: z.object({ ...page, orgId: id().optional() }),
    output: pageOf(Pin),
  }),
  set: create('/agent-version-pins', {
    summary: 'Pin an organization, site or group to an agent version, or to the versions that it runs now',
    access: can('devices:write'),
    audit: 'agent_version_pin.set',
    input: z
      .object({
        orgId: id(),
        siteId: id().nullable().default(null),
        groupId: id().nullable().default(null),
        version: releaseVersion.nullable().default(null),
        reason: z.string().trim().max(255).nullable().default(null),
      })
      .refine(({ siteId, groupId }) => siteId === null || groupId === null, {
        error: 'name a site or a group, not both',
      }),
    output: Pin,
  }),
  remove: del('/agent-version-pins/:id', {
    summary: 'Delete a version pin, so that rollouts apply again',
    access: can('devices:write'),
    audit: 'agent_version_pin.delete',
    input: z.object({ id: id() }),
    output: success,
  }),
}
