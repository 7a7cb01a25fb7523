import Registry
import Runtime
import SensorModel
import Transport

/// A device's privacy zones and course, for the commands.
struct PlaceRoutes: Sendable {
    let administration: Administration

    func add(to router: inout Router) {
        let zones = ZoneService(administration: administration)
        let courses = CourseService(administration: administration)
        add(.get, "zones", to: &router) { _, device in
            JSONBody.response(ZonesBody(device.privacy))
        }
        add(.put, "zones", to: &router) { request, device in
            let body = try JSONBody.decode(ZonesBody.self, of: request)
            return JSONBody.response(ZonesBody(try zones.replace(by: body, of: device)))
        }
        add(.post, "zones", to: &router) { request, device in
            let zone = try JSONBody.decode(ZonesBody.Zone.self, of: request)
            return JSONBody.response(ZonesBody(try zones.put(zone, of: device)), status: 201)
        }
        add(.delete, "zones/:zone", to: &router) { request, device in
            let zone = request.parameters["zone"] ?? ""
            return JSONBody.response(ZonesBody(try zones.remove(zoneNamed: zone, of: device)))
        }
        add(.get, "course", to: &router) { _, device in try courses.show(device) }
        add(.put, "course", bodyBytesMax: .max, to: &router) { request, device in
            try courses.take(request.body, of: device)
        }
        add(.delete, "course", to: &router) { _, device in try courses.remove(device) }
    }

    private func add(
        _ method: HTTPRequest.Method, _ path: String, bodyBytesMax: Int = Router.bodyBytesMax,
        to router: inout Router,
        _ work: @escaping @Sendable (HTTPRequest, Device) throws -> HTTPResponse
    ) {
        router.add(method, "/devices/:name/" + path, bodyBytesMax: bodyBytesMax) { request in
            await answer {
                let name = request.parameters["name"] ?? ""
                return try work(request, try administration.known(name))
            }
        }
    }
}
