import Runtime
import Testing
import Transport

@testable import API

/// The response to a reader whose reading is refused.
@Suite struct ReadAnswerTests {
    @Test(arguments: zip([ReadRefusal.tooLong, .tooMany, .busy], [413, 429, 503]))
    func `Only a refusal that may end asks to come back`(refusal: ReadRefusal, status: Int) {
        let response = ReadAnswer.response(to: refusal)
        #expect(response.status == status)
        #expect((response.fields["Retry-After"] == nil) == (status == 413))
    }
}
