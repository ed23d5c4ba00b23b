/** The audit actions of this area. */
export const actions = [
  'maintenance_window.create',
  'maintenance_window.update',
  'maintenance_window.delete',
  'maintenance_window.cancel',
  'maintenance_occurrence.start',
  'maintenance_occurrence.end',
] as const
