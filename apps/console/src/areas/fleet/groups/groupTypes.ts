export const typeLabels = { static: 'Static', dynamic: 'Dynamic' } as const
