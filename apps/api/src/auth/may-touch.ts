/** Whether a key that is limited to `services` (null: not limited) may see a service and act for it. */
export function mayTouch(services: readonly string[] | null, service: string): boolean {
  return services === null || services.includes(service);
}
