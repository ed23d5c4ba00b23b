/** The audit actions of this area. */
export const actions = [
  'group.create',
  'group.update',
  'group.delete',
  'group.members.add',
  'group.members.remove',
  'group.pin',
  'group.unpin',
] as const
