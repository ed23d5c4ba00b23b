/** What records of this area's changes are called in the audit log. */
export const actions = [
  'group.create',
  'group.update',
  'group.delete',
  'group.members.add',
  'group.members.remove',
  'group.pin',
  'group.unpin',
] as const
